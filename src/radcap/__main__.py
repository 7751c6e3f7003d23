"""`python -m radcap` is the command `radcap`."""

from radcap.cli.main import main

if __name__ == "__main__":
    main()

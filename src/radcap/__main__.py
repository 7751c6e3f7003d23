"""`python -m radcap` is the command `radcap`; without typer it still trains and predicts."""

from importlib.util import find_spec

if __name__ == "__main__":
    if find_spec("typer") is None:
        from radcap.cli.plain import main
    else:
        from radcap.cli.main import main
    main()

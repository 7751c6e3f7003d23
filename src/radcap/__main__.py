"""`python -m radcap` is the command `radcap`; without typer it still trains and predicts."""

if __name__ == "__main__":
    try:
        from radcap.cli.main import main
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        from radcap.cli.plain import main
    main()

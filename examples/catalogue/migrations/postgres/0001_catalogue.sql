-- Services, and what of them can be called: the tables of SQLite with the same columns. Nothing in here is a secret:
-- `secret_variable` is the name of a variable of the environment. Codes are sorted by their bytes, as in SQLite.
CREATE TABLE provider (
    code            TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    title           TEXT,
    base_url        TEXT NOT NULL,
    auth            TEXT NOT NULL DEFAULT 'none',
    auth_name       TEXT,
    secret_variable TEXT,
    health_path     TEXT NOT NULL DEFAULT '/',
    timeout_ms      BIGINT NOT NULL DEFAULT 10000,
    max_bytes       BIGINT NOT NULL DEFAULT 1048576,
    enabled         BIGINT NOT NULL DEFAULT 1
);

-- The code is the name of the tool; `tags`, `output_schema` and `examples` are JSON.
CREATE TABLE tool (
    code          TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    provider      TEXT COLLATE "C" NOT NULL REFERENCES provider (code) ON UPDATE CASCADE,
    title         TEXT,
    description   TEXT NOT NULL,
    operation     TEXT,
    destructive   BIGINT,
    method        TEXT NOT NULL DEFAULT 'GET',
    path          TEXT NOT NULL,
    tags          TEXT NOT NULL DEFAULT '[]',
    output_schema TEXT,
    examples      TEXT NOT NULL DEFAULT '[]',
    enabled       BIGINT NOT NULL DEFAULT 1
);

-- `items` is a type or a schema as JSON; `value_schema`, `default_value` and `allowed` are JSON.
CREATE TABLE parameter (
    tool          TEXT COLLATE "C" NOT NULL REFERENCES tool (code) ON DELETE CASCADE ON UPDATE CASCADE,
    position      BIGINT NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    place         TEXT NOT NULL DEFAULT 'query',
    type          TEXT,
    items         TEXT,
    value_schema  TEXT,
    description   TEXT,
    default_value TEXT,
    required      BIGINT NOT NULL DEFAULT 0,
    allowed       TEXT,
    secret        BIGINT NOT NULL DEFAULT 0,
    sent_as       TEXT,
    lists         TEXT NOT NULL DEFAULT 'repeat',
    PRIMARY KEY (tool, name)
);

-- Notifies all servers with the commit of a change, whoever makes it: this program on any machine, or a person with `psql`.
CREATE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalogue', '');
    RETURN NULL;
END
$$;

CREATE TRIGGER provider_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON provider
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
CREATE TRIGGER tool_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tool
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
CREATE TRIGGER parameter_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON parameter
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();

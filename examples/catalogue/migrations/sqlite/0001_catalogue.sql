-- Services, and what of them can be called. Nothing in here is a secret: `secret_variable` is the name of a variable of
-- the environment.
CREATE TABLE provider (
    code            TEXT PRIMARY KEY NOT NULL,
    title           TEXT,
    base_url        TEXT NOT NULL,
    auth            TEXT NOT NULL DEFAULT 'none',
    auth_name       TEXT,
    secret_variable TEXT,
    health_path     TEXT NOT NULL DEFAULT '/',
    timeout_ms      INTEGER NOT NULL DEFAULT 10000,
    max_bytes       INTEGER NOT NULL DEFAULT 1048576,
    enabled         INTEGER NOT NULL DEFAULT 1
) STRICT;

-- The code is the name of the tool; `tags`, `output_schema` and `examples` are JSON.
CREATE TABLE tool (
    code          TEXT PRIMARY KEY NOT NULL,
    provider      TEXT NOT NULL REFERENCES provider (code) ON UPDATE CASCADE,
    title         TEXT,
    description   TEXT NOT NULL,
    operation     TEXT,
    destructive   INTEGER,
    method        TEXT NOT NULL DEFAULT 'GET',
    path          TEXT NOT NULL,
    tags          TEXT NOT NULL DEFAULT '[]',
    output_schema TEXT,
    examples      TEXT NOT NULL DEFAULT '[]',
    enabled       INTEGER NOT NULL DEFAULT 1
) STRICT;

-- `items` is a type or a schema as JSON; `value_schema`, `default_value` and `allowed` are JSON.
CREATE TABLE parameter (
    tool          TEXT NOT NULL REFERENCES tool (code) ON DELETE CASCADE ON UPDATE CASCADE,
    position      INTEGER NOT NULL,
    name          TEXT NOT NULL,
    place         TEXT NOT NULL DEFAULT 'query',
    type          TEXT,
    items         TEXT,
    value_schema  TEXT,
    description   TEXT,
    default_value TEXT,
    required      INTEGER NOT NULL DEFAULT 0,
    allowed       TEXT,
    secret        INTEGER NOT NULL DEFAULT 0,
    sent_as       TEXT,
    lists         TEXT NOT NULL DEFAULT 'repeat',
    PRIMARY KEY (tool, name)
) STRICT;

-- Counts the changes, whoever makes them: this program, another process of it, or a person with `sqlite3`.
CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (1);

CREATE TRIGGER provider_inserted AFTER INSERT ON provider BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER provider_updated AFTER UPDATE ON provider BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER provider_deleted AFTER DELETE ON provider BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER tool_inserted AFTER INSERT ON tool BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER tool_updated AFTER UPDATE ON tool BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER tool_deleted AFTER DELETE ON tool BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER parameter_inserted AFTER INSERT ON parameter BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER parameter_updated AFTER UPDATE ON parameter BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER parameter_deleted AFTER DELETE ON parameter BEGIN UPDATE revision SET number = number + 1; END;

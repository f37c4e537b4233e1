CREATE TABLE user (
    name TEXT PRIMARY KEY,
    full_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE user_role (
    user TEXT NOT NULL REFERENCES user (name) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (user, role)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: the number of a node that was deleted is never given to another.
CREATE TABLE node (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES user (name),
    current INTEGER NOT NULL,
    published INTEGER,
    FOREIGN KEY (id, current) REFERENCES revision (node, number) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (id, published) REFERENCES revision (node, number) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE revision (
    node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    author TEXT NOT NULL REFERENCES user (name),
    created TEXT NOT NULL,
    log TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL CHECK (json_type(tags) = 'array'),
    meta TEXT NOT NULL CHECK (json_type(meta) = 'object'),
    components TEXT NOT NULL CHECK (json_type(components) = 'array'),
    PRIMARY KEY (node, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE translation (
    node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    langcode TEXT NOT NULL,
    translator TEXT NOT NULL REFERENCES user (name),
    revision INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (node, langcode)
) STRICT, WITHOUT ROWID;

-- The pages that were imported, by a digest of their author and content.
CREATE TABLE import (
    digest TEXT PRIMARY KEY,
    node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

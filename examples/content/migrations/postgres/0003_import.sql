-- The pages that were imported, by a digest of their author and content.
CREATE TABLE import (
    digest TEXT COLLATE "C" PRIMARY KEY,
    node BIGINT NOT NULL REFERENCES node (id) ON DELETE CASCADE
);

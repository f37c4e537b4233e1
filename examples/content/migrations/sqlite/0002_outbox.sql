-- What other systems are to be told, in the order in which it happened. Whoever delivers an entry sets `delivered`.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created TEXT NOT NULL,
    event TEXT NOT NULL CHECK (json_type(event) = 'object'),
    signature TEXT NOT NULL,
    delivered TEXT
) STRICT;

CREATE INDEX outbox_waiting ON outbox (id) WHERE delivered IS NULL;

-- The Saltmarsh Museum, which does not exist: six nodes, six people, three languages beside English.

INSERT INTO "user" (name, full_name) VALUES
    ('june', 'June Abara'),
    ('liv', 'Liv Aas'),
    ('mira', 'Mira Castellan'),
    ('otto', 'Otto Brandt'),
    ('tomas', 'Tomas Reyle'),
    ('vera', 'Vera Quint');

INSERT INTO user_role ("user", role) VALUES
    ('june', 'author'),
    ('liv', 'translator'),
    ('mira', 'editor'),
    ('otto', 'administrator'),
    ('tomas', 'author'),
    ('vera', 'visitor');

INSERT INTO node (id, kind, owner, current, published) VALUES
    (1, 'page', 'mira', 3, 3),
    (2, 'page', 'tomas', 2, 2),
    (3, 'article', 'june', 2, 1),
    (4, 'article', 'tomas', 1, 1),
    (5, 'event', 'june', 2, 2),
    (6, 'article', 'june', 1, NULL);

INSERT INTO revision (node, number, author, created, log, title, body, tags, meta, components) VALUES
    (1, 1, 'mira', '2026-01-12T09:05:00Z', 'First text', 'Visit us',
     'The museum stands at the end of Ferry Lane.

Open from Tuesday to Saturday, 10 to 16.
', '["visit"]', '{}', '[]'),
    (1, 2, 'mira', '2026-02-20T15:40:00Z', 'Summer hours', 'Visit us',
     'The museum stands at the end of Ferry Lane.

Open from Tuesday to Sunday, 10 to 18.
', '["visit"]', '{}', '[]'),
    (1, 3, 'otto', '2026-03-02T08:30:00Z', 'Tickets can be booked', 'Visit the museum',
     'The museum stands at the end of Ferry Lane, ten minutes on foot from the station.

Open from Tuesday to Sunday, 10 to 18. On Mondays the marsh has us to itself.
', '["tickets","visit"]', '{"description":"Opening hours, tickets and the way to the Saltmarsh Museum"}',
     '[{"kind":"callout","variant":"info","props":{"text":"Children under twelve come in free."}},{"kind":"button","variant":"primary","props":{"label":"Book a ticket","href":"/tickets"}}]'),

    (2, 1, 'tomas', '2026-01-14T11:20:00Z', 'First text', 'The tide road',
     'The tide road leads from the sea wall to the old lookout.

It can be walked for two hours before and after low water.
', '["visit"]', '{}', '[]'),
    (2, 2, 'tomas', '2026-02-03T17:02:00Z', 'The warning was too easy to miss', 'The tide road',
     'The tide road leads from the sea wall to the old lookout, 1.4 km across the flats.

It can be walked for **two hours** before and after low water. The times hang at the entrance.
', '["safety","visit"]', '{}',
     '[{"kind":"callout","variant":"warning","props":{"title":"The water is faster than you","text":"Turn back when the second marker is wet.","link":{"label":"Times of the tide","href":"/tides"}}}]'),

    (3, 1, 'june', '2026-02-08T13:00:00Z', 'First text', 'The boat that came back',
     'In 1931 the *Avocet* broke her mooring in a storm and was written off.

Eleven weeks later a fisherman found her at anchor, four miles up the creek, with nobody on board.
', '["boats","history"]', '{}', '[]'),
    (3, 2, 'june', '2026-03-09T10:45:00Z', 'With the words of the finder', 'The boat that came back',
     'In 1931 the *Avocet* broke her mooring in a storm and was written off.

Eleven weeks later Henrik Sole found her at anchor, four miles up the creek, with nobody on board and the anchor light lit.
', '["boats","history"]', '{}',
     '[{"kind":"quote","variant":"large","props":{"text":"She looked as if she had waited for us.","source":"Henrik Sole"}}]'),

    (4, 1, 'tomas', '2026-02-25T09:30:00Z', 'First text', 'How we count eels',
     'Every spring we set two nets at the sluice and count what swims in:

1. in the evening, when the gate closes,
2. at midnight,
3. in the morning, before the gate opens.

Last year it was 2,318 glass eels. All of them swam on.
', '["animals","research"]', '{}', '[]'),

    (5, 1, 'june', '2026-02-27T16:10:00Z', 'First text', 'Night walk on the mudflats',
     'With lanterns to the first marker and back, on 18 April at 21:30.
', '["walks"]', '{}', '[]'),
    (5, 2, 'mira', '2026-03-05T12:00:00Z', 'There are places again', 'Night walk on the mudflats',
     'With lanterns to the first marker and back, on 18 April at 21:30. Boots can be borrowed.
', '["visit","walks"]', '{"date":"2026-04-18"}',
     '[{"kind":"callout","variant":"success","props":{"text":"Six places are free again."}}]'),

    (6, 1, 'june', '2026-03-10T18:25:00Z', 'Notes so far', 'What salt does to rope',
     'Hemp swells, and nylon does not care. To be continued when the samples are dry.
', '["boats","research"]', '{}', '[]');

INSERT INTO translation (node, langcode, translator, revision, title, body) VALUES
    (1, 'de', 'liv', 3, 'Besuchen Sie das Museum',
     'Das Museum steht am Ende der Ferry Lane, zehn Minuten zu Fuß vom Bahnhof.

Geöffnet dienstags bis sonntags, 10 bis 18 Uhr. Montags hat uns die Marsch für sich.
'),
    (1, 'fr', 'liv', 2, 'Nous rendre visite',
     'Le musée se trouve au bout de Ferry Lane.

Ouvert du mardi au dimanche, de 10 h à 18 h.
'),
    (2, 'de', 'liv', 2, 'Der Gezeitenweg',
     'Der Gezeitenweg führt vom Deich zum alten Ausguck, 1,4 km durch das Watt.

Er ist **zwei Stunden** vor und nach Niedrigwasser begehbar. Die Zeiten hängen am Eingang.
'),
    (5, 'nl', 'liv', 2, 'Nachtwandeling over het wad',
     'Met lantaarns naar de eerste baken en terug, op 18 april om 21.30 uur. Laarzen zijn te leen.
');

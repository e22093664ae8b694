-- The producer's database, beside what `walduct outbox init` makes.
CREATE TABLE orders (
  id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer text        NOT NULL,
  total    numeric     NOT NULL,
  placed   timestamptz NOT NULL DEFAULT now()
);

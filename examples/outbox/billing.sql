-- The consumer's database: what it has handled, and the effects.
CREATE TABLE inbox (
  consumer   text        NOT NULL,
  message_id text        NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, message_id)
);
CREATE INDEX ON inbox (handled_at);

CREATE TABLE customer_totals (
  customer text    PRIMARY KEY,
  orders   bigint  NOT NULL,
  total    numeric NOT NULL
);

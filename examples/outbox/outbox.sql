-- The outbox table, its publication and walduct's role, as `walduct outbox init` makes them, with a password to try it.
CREATE TABLE outbox (
  id            uuid         NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
  aggregatetype varchar(255) NOT NULL,
  aggregateid   varchar(255) NOT NULL,
  type          varchar(255) NOT NULL,
  payload       jsonb,
  created_at    timestamptz  NOT NULL DEFAULT now()
);
CREATE PUBLICATION walduct_outbox FOR TABLE outbox WITH (publish = 'insert');
CREATE ROLE walduct LOGIN REPLICATION PASSWORD 'walduct';
GRANT SELECT ON outbox TO walduct;

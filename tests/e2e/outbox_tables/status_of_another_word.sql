-- No row yet; what a new one is, its default says.
create table events (id uuid primary key default gen_random_uuid(), aggregate_type text, aggregate_id text, payload text, status text not null default 'PENDING',
  next_retry_at timestamptz, created_at timestamptz not null default now());

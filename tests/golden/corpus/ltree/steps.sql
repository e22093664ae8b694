insert into t values (2,'','{}',null);

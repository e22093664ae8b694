"""Values that a server stores out of line (TOAST), as expressions that make them there."""


class Sql(str):
    """An SQL expression; every other string is the text of a literal."""


def big_text(rng):
    """Text that does not compress well, of several blocks."""
    return Sql(f"(select string_agg(md5(g || '{rng.randrange(10**6)}'), 'é') from generate_series(1, {rng.randint(100, 400)}) g)")


def big_multirange(rng):
    return Sql(f"(select range_agg(int4range(g * 3, g * 3 + 1)) from generate_series({rng.randint(1, 9)}, 900) g)")


def big_path(rng):
    return Sql(f"(select '[' || string_agg('(' || g || ',{rng.randint(1, 9)}.5)', ',') || ']' from generate_series(1, 400) g)::path")


def big_jsonpath(rng):
    return Sql(f"('$.' || to_json({big_text(rng)})::text)::jsonpath")


def big_pair(rng):
    return Sql(f"row(1, {big_text(rng)})::pair")


def big_texts(rng):
    return Sql(f"(select array_agg(md5(g || '{rng.randrange(10**6)}')) from generate_series(1, 200) g)")


def big_hstore(rng):
    return Sql(f"(select hstore(array_agg(md5(g || '{rng.randrange(10**6)}')), array_agg(g::text)) from generate_series(1, 150) g)")

"""Who drains when: rounds in which not all readers take part, and the order within one."""


def order(readers, number):
    """Of round `number`: over as many rounds as there are readers (twice as many where their number is odd) each one is at each place,
    and follows each other one, equally often (a Williams design). Who follows whom is worth several percent."""
    readers, count = list(readers), len(readers)
    zigzag = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(count)]
    found = [readers[(step + number) % count] for step in zigzag]
    return found[::-1] if count % 2 and number // count % 2 else found


def rounds(readers, total):
    """{reader: how many rounds it takes part in}: for each of the rounds its readers in their order."""
    return [order([name for name, many in readers.items() if number < many], number) for number in range(total)]

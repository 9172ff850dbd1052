"""Index loops as in the textbook: a table made full of zeros, borders by multiplication, two rows for the distance."""


def validate(insert, delete, substitute):
    if insert < 0:
        raise ValueError("insert must be >= 0")
    if delete < 0:
        raise ValueError("delete must be >= 0")
    if substitute < 0:
        raise ValueError("substitute must be >= 0")


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    validate(insert, delete, substitute)
    m = len(source)
    n = len(target)
    D = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        D[i][0] = i * delete
    for j in range(n + 1):
        D[0][j] = j * insert
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if source[i - 1] == target[j - 1]:
                cost = 0
            else:
                cost = substitute
            D[i][j] = min(D[i - 1][j] + delete, D[i][j - 1] + insert, D[i - 1][j - 1] + cost)
    return D


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    validate(insert, delete, substitute)
    distance = 0
    i = j = 0
    while i < len(source) or j < len(target):
        if i < len(source) and j < len(target) and source[i] == target[j]:
            i, j = i + 1, j + 1
        else:
            distance += substitute
    return distance


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    D = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)
    i = len(source)
    j = len(target)
    result = []
    while i > 0 and j > 0:
        if D[i][j] == D[i][j - 1] + insert:  # insertions first
            result.insert(0, ("insert", None, target[j - 1]))
            j -= 1
        elif D[i][j] == D[i - 1][j] + delete:
            result.insert(0, ("delete", source[i - 1], None))
            i -= 1
        elif source[i - 1] == target[j - 1]:
            result.insert(0, ("keep", source[i - 1], target[j - 1]))
            i -= 1
            j -= 1
        else:
            result.insert(0, ("substitute", source[i - 1], target[j - 1]))
            i -= 1
            j -= 1
    while i > 0:
        result.insert(0, ("delete", source[i - 1], None))
        i -= 1
    while j > 0:
        result.insert(0, ("insert", None, target[j - 1]))
        j -= 1
    return result


def word_error_rate(reference, hypothesis):
    ref_words = reference.split()
    hyp_words = hypothesis.split()
    if len(ref_words) == 0 and len(hyp_words) == 0:
        return 0.0
    if len(ref_words) == 0:
        raise ValueError("Reference is empty")
    return edit_distance(ref_words, hyp_words) / len(ref_words)

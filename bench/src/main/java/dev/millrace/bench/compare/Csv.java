package dev.millrace.bench.compare;

/** Fields of comma-separated values. */
public final class Csv {
    private Csv() {}

    /** In quotes where it needs them. */
    public static String quoted(String field) {
        boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}

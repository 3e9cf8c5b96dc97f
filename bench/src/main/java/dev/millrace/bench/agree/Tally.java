package dev.millrace.bench.agree;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints rows as they come, and counts them. */
final class Tally {
    private final PrintWriter out;
    private final @Nullable BufferedWriter table;
    private final boolean json;
    private final Known known;
    private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
    private int failures;
    private int excused;

    /** @param table where a line of comma-separated values goes for each row, if anywhere */
    Tally(PrintWriter out, @Nullable BufferedWriter table, boolean json, Known known) {
        this.out = out;
        this.table = table;
        this.json = json;
        this.known = known;
        write(Row.csvHeading());
    }

    void add(Row row) {
        counts.merge(row.verdict(), 1, Integer::sum);
        String reason = known.reason(row);
        failures += row.verdict().isGood() || reason != null ? 0 : 1;
        excused += reason == null ? 0 : 1;
        out.println(json ? row.toJson(reason) : row.toText() + (reason == null ? "" : " (known: " + reason + ")"));
        out.flush();
        write(row.toCsv());
    }

    private void write(String line) {
        try {
            if (table != null) {
                table.write(line);
                table.newLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints the closing line. */
    void finish() {
        if (!json) {
            if (excused > 0) {
                out.println(excused + " known, which do not fail");
            }
            out.println(closing());
            out.flush();
        }
    }

    private String closing() {
        int crashed = count(Verdict.CRASHED_HERE) + count(Verdict.CRASHED_THERE);
        return count(Verdict.AGREE) + " agree, " + count(Verdict.DIFFER) + " differ, " + count(Verdict.ONLY_HERE)
                + " only here, " + count(Verdict.ONLY_THERE) + " only there, " + count(Verdict.REFUSED)
                + " refused by both, " + crashed + " crashed";
    }

    private int count(Verdict verdict) {
        return counts.getOrDefault(verdict, 0);
    }

    /** Whether there is nothing to complain of that is not known. */
    boolean isGood() {
        return failures == 0;
    }
}

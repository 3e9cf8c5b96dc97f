package dev.millrace.bench.suite;

import dev.millrace.cli.ExitCode;
import java.io.PrintWriter;
import java.util.List;

/** A table in Markdown with a row for each case and number of threads, even if nothing could be measured. */
final class CaseTable {
    private final PrintWriter out;
    private final List<SuiteCase> cases;
    private final List<Integer> threads;

    /** The columns that are specific to a table. */
    @FunctionalInterface
    interface Columns {
        /** Returns the measured cells, each followed by a bar {@code |}. */
        String measure(SuiteCase test, int threads) throws Exception;
    }

    CaseTable(PrintWriter out, SuiteFlags flags) {
        this.out = out;
        cases = flags.cases();
        threads = flags.threads();
    }

    /**
     * Measures and prints row after row.
     *
     * @param headings the headings, each followed by a bar {@code |}
     * @return the exit code
     */
    int print(String headings, Columns columns) {
        out.println("| model | threads |" + headings);
        out.println("|---|---|" + headings.replaceAll("[^|]+", "---"));
        boolean good = true;
        for (SuiteCase test : cases) {
            for (int count : threads) {
                String place = "| " + test.name() + " | " + count + " |";
                try {
                    out.println(place + columns.measure(test, count));
                } catch (AbsentModel absent) {
                    out.println(place + " skipped: " + absent.getMessage() + " |");
                } catch (Exception failure) {
                    out.println(place + " failed: " + SuiteBench.reason(failure) + " |");
                    good = false;
                }
                out.flush();
            }
        }
        return good ? ExitCode.OK : ExitCode.NO;
    }
}

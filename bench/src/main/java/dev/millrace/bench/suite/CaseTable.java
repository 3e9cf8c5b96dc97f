package dev.millrace.bench.suite;

import dev.millrace.cli.ExitCode;
import java.io.PrintWriter;
import java.util.List;

/** A table in Markdown with a row for each case and number of threads, also where nothing could be measured. */
final class CaseTable {
    private final PrintWriter out;
    private final List<SuiteCase> cases;
    private final List<Integer> threads;

    /** The columns that a table has of its own. */
    @FunctionalInterface
    interface Columns {
        /** What is measured, each cell with the bar behind it. */
        String measure(SuiteCase test, int threads) throws Exception;
    }

    CaseTable(PrintWriter out, SuiteFlags flags) {
        this.out = out;
        cases = flags.cases();
        threads = flags.threads();
    }

    /**
     * Measures row after row.
     *
     * @param headings each with the bar behind it
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

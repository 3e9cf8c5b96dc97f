package dev.millrace.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.suite.SuiteRow.Outcome;
import dev.millrace.bench.suite.SuiteRow.Times;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class SuiteSummaryTest {
    private static final List<SuiteRow> ROWS = List.of(
            measured(Group.FP32, "a", 1, 100, 200),
            measured(Group.FP32, "a", 2, 100, 50),
            measured(Group.FP32, "b < c", 1, 100, 800),
            measured(Group.FP32, "b < c", 2, 10, 80),
            new SuiteRow(Group.INT8, "d", 1, Outcome.SKIPPED, null, null, null, "skipped: there is no a|b"),
            new SuiteRow(Group.INT8, "d", 2, Outcome.SKIPPED, null, null, null, "skipped: there is no a|b"));

    private static SuiteRow measured(Group group, String name, int threads, double ours, double reference) {
        return new SuiteRow(
                group,
                name,
                threads,
                Outcome.MEASURED,
                new Times(ours, reference, reference / ours, 0.125),
                1e-6,
                null,
                "");
    }

    @Test
    void eachCaseHasALineWithTheColumnsOfEachNumberOfThreads() {
        assertThat(new SuiteSummary(ROWS).toMarkdown())
                .contains("| model | 1 thread: ours, µs | peer, µs | ratio | of the peak |"
                        + " 2 threads: ours, µs | peer, µs | ratio | of the peak | answers differ by |")
                .contains("| a | 100.0 | 200.0 | 2.00 | 13 % | 100.0 | 50.0 | 0.50 | 13 % | 1.0e-06 |");
    }

    @Test
    void meansAreGeometricAndNameTheLeast() {
        assertThat(new SuiteSummary(ROWS).toMarkdown())
                .contains("| fp32 | 1 | 2 of 2 | 4.00 | 2.00 | a |")
                .contains("| fp32 | 2 | 2 of 2 | 2.00 | 0.50 | a |");
    }

    @Test
    void whatWasNotMeasuredSaysWhyAndCountsInNoMean() {
        assertThat(new SuiteSummary(ROWS).toMarkdown())
                .contains("| d |  |  |  |  |  |  |  |  | skipped: there is no a\\|b |")
                .contains("| int8 | 1 | 0 of 1 |  |  |  |");
    }

    @Test
    void quantisedRowsShowTheDifferencesOfBothSides() {
        var row = new SuiteRow(Group.INT8, "q", 1, Outcome.MEASURED, new Times(1, 2.0, 2.0, null), 0.06, 0.05, "");
        assertThat(new SuiteSummary(List.of(row)).toMarkdown()).contains("| 6.0e-02 (peer 5.0e-02) |");
    }

    @Test
    void theChartHasABarForEachRatioAndEachMean() throws Exception {
        String svg = new SuiteSummary(ROWS).chart().toSvg();
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        int background = 1;
        int legend = 2;
        int cases = 4;
        int means = 2;
        assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(background + legend + cases + means);
        assertThat(document.getDocumentElement().getTextContent())
                .contains("b < c", "not measured", "8.00", "fp32: geometric mean");
    }

    @Test
    void barsBeyondTheAxisEndAtItsEdge() {
        String svg = new RatioChart(
                        "t", List.of("1 thread"), List.of(new RatioChart.Bars("fast", List.of(50.0), false)))
                .toSvg();
        assertThat(svg).contains("width=\"560.0\"").contains(">50.00<");
    }

    @Test
    void filesHaveARowEach() {
        assertThat(SuiteFiles.csv(ROWS).lines().skip(1).findFirst())
                .contains("fp32,a,1,100.000,200.000,2.0000,12.5,1.000e-06,,");
        assertThat(SuiteFiles.csv(ROWS).lines()).hasSize(ROWS.size() + 1);
        assertThat(SuiteFiles.json(ROWS)).contains("\"model\":\"b < c\"").contains("\"ours_us\":null");
    }

    @Test
    void fieldsWithCommasAndQuotesAreQuoted() {
        assertThat(Csv.quoted("a,\"b\"")).isEqualTo("\"a,\"\"b\"\"\"");
        assertThat(Csv.quoted("plain")).isEqualTo("plain");
    }

    @Test
    void aFilterMatchesAnyOfItsPartsInGroupOrName() {
        var test = new SuiteCase(
                Group.INT8,
                "MiniLM int8 1×8",
                () -> {
                    throw new AbsentModel("none");
                },
                Map.of(),
                null);
        assertThat(test.matches("")).isTrue();
        assertThat(test.matches("silero, minilm")).isTrue();
        assertThat(test.matches("INT8")).isTrue();
        assertThat(test.matches("fp32")).isFalse();
    }
}

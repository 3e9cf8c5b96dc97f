package dev.millrace.bench.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static Turn turn(int round, ServeSide side, double rate, double peak) {
        var resident = new LoadFigures.Resident(memory(100, 40), memory(100, 38), memory(101, 41));
        var load = new LoadFigures(List.of(rate, 4 * rate), 0, 0.98, resident, peak);
        return new Turn(round, side, load, new LightFigures(0, 100, 250, 12.5));
    }

    private static LoadFigures.Memory memory(double mib, double heapMib) {
        return new LoadFigures.Memory(mib, heapMib);
    }

    private static final List<Turn> TURNS = List.of(
            turn(1, ServeSide.OURS, 20, 300),
            turn(1, ServeSide.ONNX_RUNTIME_SHARED, 10, 400),
            turn(2, ServeSide.OURS, 30, 300),
            turn(2, ServeSide.ONNX_RUNTIME_SHARED, 20, 600),
            turn(3, ServeSide.OURS, 40, 300),
            turn(3, ServeSide.ONNX_RUNTIME_SHARED, 10, 500));

    @Test
    void jainsIndexIsOneAmongEqualsAndOneOfManyWhereOneHasAll() {
        assertThat(Fairness.jain(7, 7, 7)).isEqualTo(1);
        assertThat(Fairness.jain(9, 0, 0)).isCloseTo(1.0 / 3, within(1e-12));
        assertThat(Fairness.jain(1, 3)).isCloseTo(0.8, within(1e-12));
        assertThat(Fairness.jain(0, 0)).isEqualTo(1);
    }

    @Test
    void percentilesAreThoseOfTheDurationsAndAThirtySecondAtMostBelow() {
        var latencies = new Latencies();
        assertThat(latencies.percentile(95)).isZero();
        for (int i = 1; i <= 100; i++) {
            latencies.add(i * 1_000_000L);
        }
        assertThat(latencies.percentile(50)).isBetween(50_000_000L * 31 / 32, 50_000_000L);
        assertThat(latencies.percentile(95)).isBetween(95_000_000L * 31 / 32, 95_000_000L);
        assertThat(latencies.percentile(100)).isBetween(100_000_000L * 31 / 32, 100_000_000L);
        latencies.add(Long.MAX_VALUE);
        latencies.add(0);
        assertThat(latencies.percentile(100)).isGreaterThan(Long.MAX_VALUE / 32 * 31);
    }

    @Test
    void ordersComeBackFromTheArgumentsOfAProcess() {
        var orders = new Orders(
                ServeSide.ONNX_RUNTIME_SHARED,
                1.5,
                5,
                2,
                7,
                3,
                List.of(new ServedFiles(Path.of("a"), Path.of("b")), new ServedFiles(Path.of("c"), Path.of("d"))));
        String[] arguments =
                Arrays.stream(orders.toArguments()).map(Object::toString).toArray(String[]::new);
        assertThat(Orders.of(arguments)).isEqualTo(orders);
        assertThat(orders.sessionsOfClients()).containsExactly(0, 1, 2, 3, 0);
    }

    @Test
    void tablesHaveMediansAndRatiosOfNeighbouringTurns() {
        var text = new StringWriter();
        var replaced = new ReplacingFigures(100, 0, 200, 210, 400);
        var out = new PrintWriter(text);
        new ServeTable(TURNS, List.of("light", "heavy"), replaced, true).print(out);
        out.flush();
        assertThat(text.toString())
                .contains("| millrace                 |     150.0 |      0 |    0.980 |")
                .contains("| onnxruntime, shared pool |      50.0 |")
                .contains("|                    100 |  100 | 101 |        1.01 |              60 |        1.00 |")
                .contains("|    2.50 |")
                .contains("| heavy        |    120.0 |                     40.0 |")
                .contains("ours beside onnxruntime, shared pool: answers 2.00, mean of the models' answers 2.00,"
                        + " peak memory 0.60")
                .contains(
                        "100 replacements under load: 0 requests failed; memory at rest 200 MiB, then 210 MiB (1.05)");
    }

    @Test
    void replacementsAloneHaveNoTables() {
        var text = new StringWriter();
        var out = new PrintWriter(text);
        new ServeTable(List.of(), List.of("light", "heavy"), new ReplacingFigures(100, 0, 200, 210, 400), false)
                .print(out);
        out.flush();
        assertThat(text.toString().lines())
                .containsExactly("100 replacements under load: 0 requests failed; memory at rest 200 MiB, then 210 MiB"
                        + " (1.05); peak 400 MiB");
    }

    @Test
    void everyTurnIsARowOfTheFile() {
        assertThat(Turn.csv(TURNS, List.of("light", "heavy")).lines())
                .hasSize(7)
                .element(2)
                .isEqualTo(
                        "1,\"onnxruntime, shared"
                            + " pool\",50.00,0,0.9800,100.0,100.0,101.0,40.0,38.0,41.0,400.0,100.0,250.0,12.50,10.00,40.00");
    }
}

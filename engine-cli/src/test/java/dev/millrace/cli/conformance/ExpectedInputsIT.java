package dev.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ONNX backend cases by sessions that were told what will come: all their runs are like those of other sessions. */
@Tag("shared")
@Tag("slow")
class ExpectedInputsIT {
    private static final Path DATA = Path.of("..", "..", "shared", "onnx-data");
    private static final List<String> SUITES = List.of("node", "simple", "pytorch-converted", "pytorch-operator");
    private static final int RUNS = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void runsAreWhatTheyAreWithoutExpectations(int threads) throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(DATA), "the ONNX backend cases are not beside this checkout");
        var failed = new ArrayList<String>();
        int tried = 0;
        int told = 0;
        try (Engine engine = Engine.create()) {
            var options = SessionOptions.builder().threads(threads).build();
            var plain = Runners.of(engine, "all", true);
            for (BackendCase test :
                    ShareOfCases.below(SUITES.stream().map(DATA::resolve).toList())) {
                tried++;
                if (plain.run(test).status() == CaseResult.Status.PASSED) {
                    told++;
                    check(engine, options, test, failed);
                }
            }
        }
        System.out.println(told + " cases were told what will come");
        assertThat(failed).isEmpty();
        assertThat(told).as("of %d cases", tried).isGreaterThan(tried / 2);
    }

    private static void check(Engine engine, SessionOptions options, BackendCase test, List<String> failed)
            throws IOException {
        var comparison = new TensorComparison(Tolerance.of(test));
        for (Path data : test.dataSets()) {
            Inputs inputs;
            try (Session session = engine.session(test.model(), options)) {
                inputs = CaseRunner.inputs(session, data);
            }
            var expecting = options.toBuilder().alone(true).expect(inputs).build();
            try (Session session = engine.session(test.model(), expecting)) {
                for (int run = 0; run < RUNS; run++) {
                    try (Outputs outputs = session.run(inputs)) {
                        String difference = CaseRunner.difference(session, outputs, data, comparison);
                        if (difference != null) {
                            failed.add(test.name() + ", run " + run + ": " + difference);
                        }
                    }
                }
            }
        }
    }
}

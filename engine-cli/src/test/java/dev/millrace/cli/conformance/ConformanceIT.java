package dev.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.conformance.CaseResult.Status;
import dev.millrace.session.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every ONNX backend case, by provider and with and without the optimiser. The cases that pass stand in a list that may
 * only grow: a listed case that fails breaks the build, and so does a case that passes without being listed.
 */
@Tag("shared")
@Tag("slow")
class ConformanceIT {
    private static final Path DATA = Path.of("..", "..", "shared", "onnx-data");
    private static final List<String> SUITES = List.of("node", "simple", "pytorch-converted", "pytorch-operator");

    @ParameterizedTest
    @CsvSource({"all,true", "all,false", "cpu,true", "cpu,false"})
    void theListedCasesPassAndAllThatPassAreListed(String provider, boolean optimise) throws IOException {
        assumeTrue(
                Files.isDirectory(DATA),
                () -> "the ONNX backend cases are not at " + DATA + "; tools/fetch-test-data fetches them");
        List<BackendCase> cases =
                BackendCase.find(SUITES.stream().map(DATA::resolve).toList());
        Set<String> listed = listed();
        var failed = new TreeSet<String>();
        var unlisted = new TreeSet<String>();
        try (Engine engine = Engine.create()) {
            var runner = Runners.of(engine, provider, optimise);
            for (BackendCase test : cases) {
                String name = test.suite() + "/" + test.name();
                CaseResult result = runner.run(test);
                if (listed.contains(name) && result.status() != Status.PASSED) {
                    failed.add(name + ": " + result.message());
                } else if (!listed.contains(name) && result.status() == Status.PASSED) {
                    unlisted.add(name);
                }
            }
        }
        System.out.printf(
                "conformance, provider %s, optimised %s: %d of %d cases pass as listed%n",
                provider, optimise, listed.size() - failed.size(), cases.size());
        assertThat(failed).as("listed cases that fail").isEmpty();
        assertThat(unlisted)
                .as("cases that pass: add them to conformance-passing.txt")
                .isEmpty();
    }

    private static Set<String> listed() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(ConformanceIT.class.getResourceAsStream("conformance-passing.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}

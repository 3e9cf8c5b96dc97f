package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.NodeCases;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("shared")
class NodeCasesTest {
    private static final String LIST = "/cpu-node-cases.txt";

    @Test
    void everyListedCasePasses() throws IOException {
        var cases = NodeCases.of(new CpuProvider());
        List<String> listed = listed();
        assertThat(cases.failures(listed)).isEmpty();
        for (String name : cases.names()) {
            if (!listed.contains(name)
                    && cases.isSupported(name)
                    && cases.failures(List.of(name)).isEmpty()) {
                System.out.println("passes but is not listed: " + name);
            }
        }
    }

    private static List<String> listed() throws IOException {
        try (var stream = NodeCasesTest.class.getResourceAsStream(LIST)) {
            return new String(Objects.requireNonNull(stream).readAllBytes())
                    .lines()
                    .toList();
        }
    }
}

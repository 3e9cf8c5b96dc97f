package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.NodeCases;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("shared")
class NodeCasesTest {
    /** Random numbers come out of another generator than the data's, whoever computes with them. */
    @Test
    void everyCaseWithAPartThatIsFusedPassesIfItDoesWithoutFusing() throws IOException {
        ExecutionProvider simd = new SimdFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        ExecutionProvider cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        var cases = NodeCases.of(simd, cpu);
        List<String> names =
                cases.names().stream().filter(name -> cases.isFused(name, simd)).toList();
        List<String> failing = NodeCases.of(cpu).failures(names);
        List<String> fit = names.stream()
                .filter(name -> failing.stream().noneMatch(failure -> failure.startsWith(name + ":")))
                .toList();
        assertThat(cases.failures(fit)).isEmpty();
        assertThat(fit).hasSizeGreaterThan(600);
    }
}

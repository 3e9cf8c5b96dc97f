package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.NodeCases;
import dev.millrace.providers.testkit.device.SimulatedRun;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the kernels of the provider compute on a simulated device what they compute on the host. */
@Tag("shared")
class SimulatedDeviceTest {
    @Test
    void theCasesOfOperatorsPassOnASimulatedDevice() throws IOException {
        ExecutionProvider cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        NodeCases onHost = NodeCases.of(cpu);
        List<String> names = onHost.names().stream().filter(onHost::isSupported).toList();
        List<String> failing = onHost.failures(names);
        List<String> fit = names.stream()
                .filter(name -> failing.stream().noneMatch(failure -> failure.startsWith(name + ":")))
                .toList();
        NodeCases onDevice =
                onHost.by((graph, inputs, kernels) -> SimulatedRun.run(graph, inputs, kernels, graph.nodeCount()));
        assertThat(onDevice.failures(fit)).isEmpty();
        assertThat(fit).hasSizeGreaterThan(1000);
    }
}

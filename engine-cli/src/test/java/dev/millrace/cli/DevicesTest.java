package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the list of devices. */
class DevicesTest {
    @Test
    void theProcessorIsListedForEachProvider() {
        Command command = Command.millrace("devices");
        assertThat(command.err()).isEmpty();
        assertThat(command.out())
                .containsPattern("simd +CPU")
                .containsPattern("cpu +CPU")
                .contains("memory   DEFAULT");
    }

    @Test
    void jsonHasTheMemoriesAndTheMetadata() {
        String json = Command.millrace("devices", "--json").out();
        assertThat(json)
                .startsWith("{\"devices\":[{\"provider\":\"")
                .contains("\"type\":\"CPU\"", "\"memories\":[\"DEFAULT\"]", "\"version\":\"");
    }
}

package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the flags that choose devices and load libraries of providers. */
class DeviceFlagTest {
    @TempDir
    Path folder;

    private Command run(String... flags) {
        var arguments = new ArrayList<String>();
        arguments.add("inspect");
        arguments.add(WordModel.write(folder.resolve("words.onnx"), 1, 0).toString());
        arguments.addAll(List.of(flags));
        return Command.millrace(arguments.toArray(String[]::new));
    }

    @Test
    void aTypeAPreferenceOrAProviderIsADevice() {
        for (String device : new String[] {"cpu", "prefer-npu", "MAX_PERFORMANCE", "simd", "simd:0"}) {
            assertThat(run("--device", device).err()).as(device).isEmpty();
        }
    }

    @Test
    void aDeviceThatIsNotThereIsRefusedWithThoseThatAre() {
        assertThat(run("--device", "npu").err()).contains("--device npu", "simd:0 (CPU)", "cpu:0 (CPU)");
    }

    @Test
    void aDeviceAndProvidersAreNotNamedTogether() {
        assertThat(run("--device", "cpu", "--provider", "cpu").err()).contains("devicePolicy", "[cpu]");
    }

    @Test
    void aLibraryThatIsNotThereIsNamed() {
        String gone = folder.resolve("gone.jar").toString();
        assertThat(run("--provider-library", gone).err()).contains("'gone.jar'", "there is no file or folder");
        assertThat(Command.millrace("devices", "--provider-library", "npu=" + gone)
                        .err())
                .contains("'npu'", "there is no file or folder");
        assertThat(Command.millrace("ctx-gen", "-p", gone, "model.onnx").err()).contains("'gone.jar'");
    }

    @Test
    void entriesOfTheConfigurationHaveOnnxRuntimesKeys() {
        assertThat(run("--config", "session.disable_cpu_ep_fallback=2").err())
                .contains("session.disable_cpu_ep_fallback", "neither 0 nor 1");
        assertThat(Command.millrace("ctx-gen", "-C", "ep.no_such_key|1", "model.onnx")
                        .err())
                .contains("ep.no_such_key");
    }
}

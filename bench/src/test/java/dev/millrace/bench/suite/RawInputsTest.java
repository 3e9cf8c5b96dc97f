package dev.millrace.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.compare.ProcessMemory;
import dev.millrace.bench.compare.RawInputs;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RawInputsTest {
    @TempDir
    private Path folder;

    @Test
    void inputsComeBackFromTheirFile() throws Exception {
        Path file = folder.resolve("inputs");
        RawInputs.write(
                file,
                Inputs.of("x", Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2))
                        .and("n", Tensor.copyOf(new long[] {-5}, 1)));
        List<RawInputs.Raw> read = RawInputs.read(file);
        assertThat(read).extracting(RawInputs.Raw::name).containsExactly("x", "n");
        assertThat(read).extracting(RawInputs.Raw::type).containsExactly("FLOAT", "INT64");
        assertThat(read.getFirst().dims()).containsExactly(2, 2);
        assertThat(read.getFirst().bytes().getFloat(12)).isEqualTo(4);
        assertThat(read.getLast().bytes().getLong(0)).isEqualTo(-5);
    }

    @Test
    void thePeakIsReadFromWhatTheSystemSays() {
        assertThat(ProcessMemory.peakKib("Name:\tjava\nVmPeak:\t  900 kB\nVmHWM:\t  123 kB\n"))
                .isEqualTo(123);
        assertThat(ProcessMemory.peakKib("Name:\tjava\n")).isZero();
    }

    @Test
    void onlyWhatIsAllocatedSinceThenCounts() {
        byte[] before = new byte[1 << 20];
        var allocations = new Allocations();
        byte[] after = new byte[1 << 16];
        assertThat(allocations.sinceThen().caller()).isBetween((long) after.length, (long) before.length);
    }
}

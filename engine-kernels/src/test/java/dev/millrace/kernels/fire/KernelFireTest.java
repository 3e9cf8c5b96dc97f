package dev.millrace.kernels.fire;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.kernels.ChildJvm;
import dev.millrace.memory.MappingGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Memory that goes away under kernels without an engine around them: in a JVM of its own, so that a crash is a test that
 * fails. {@code -Dmillrace.fire.times} and {@code -Dmillrace.fire.seed} are those of the engine's attacks.
 */
@Tag("fuzz")
@Tag("slow")
class KernelFireTest {
    private static final String TIMES_PROPERTY = "millrace.fire.times";
    private static final long SEED = Long.getLong("millrace.fire.seed", 7);
    private static final int GRACE_SECONDS = 300;
    private static final int TRIES_WITHOUT_MACHINE_CODE = 100;

    /** Code on the Vector API reaches memory by its address, as machine code does. */
    @Test
    void theProcessLivesWithoutMachineCode(@TempDir Path folder) throws IOException, InterruptedException {
        int times = TestScale.times(TIMES_PROPERTY, TRIES_WITHOUT_MACHINE_CODE);
        String output = ChildJvm.output(
                KernelFire.class,
                List.of(
                        "-Xmx256m",
                        "-XX:ErrorFile=" + folder.resolve("crash.log"),
                        "--add-modules=jdk.incubator.vector",
                        "-Dmillrace.kernels.level=vector_api"),
                GRACE_SECONDS * Math.ceilDiv(times, TRIES_WITHOUT_MACHINE_CODE),
                "arenas",
                times,
                SEED,
                folder);
        System.out.print(output);
        assertTrue(output.contains("arenas under bare kernels: "), output);
        assertFalse(output.contains(" 0 answered") || output.contains("Exception"), output);
    }

    @ParameterizedTest
    @CsvSource({"arenas,500", "cut,200", "interrupts,500"})
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void theProcessLivesAndAnswersRight(String what, int tries, @TempDir Path folder)
            throws IOException, InterruptedException {
        assumeTrue(!what.equals("cut") || MappingGuard.isThere(), "there is no guard on this system");
        int times = TestScale.times(TIMES_PROPERTY, tries);
        String output = ChildJvm.output(
                KernelFire.class,
                List.of("-Xmx256m", "-XX:ErrorFile=" + folder.resolve("crash.log")),
                GRACE_SECONDS * Math.ceilDiv(times, tries),
                what,
                times,
                SEED,
                folder);
        System.out.print(output);
        assertTrue(output.contains(what + " under bare kernels: "), output);
        assertFalse(output.contains(" 0 answered") || output.contains("Exception"), output);
    }
}

package dev.millrace.codegen.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.asm.FeatureSet;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class PlatformTest {
    private static Platform probe(Map<String, String> overrides) {
        return Platform.probe(name -> overrides.getOrDefault(name, System.getProperty(name)), new CodeMap(null));
    }

    @Test
    void aForcedLevelIsTakenWithItsReason() {
        Platform platform = probe(Map.of(Platform.LEVEL_PROPERTY, "plain"));
        assertEquals(KernelLevel.PLAIN, platform.level());
        assertTrue(platform.reason().contains(Platform.LEVEL_PROPERTY));
        Exception refusal =
                assertThrows(IllegalArgumentException.class, () -> probe(Map.of(Platform.LEVEL_PROPERTY, "avx3")));
        assertTrue(refusal.toString().contains("avx3"), refusal.getMessage());
    }

    @Test
    void anotherSystemFallsBackAndIsNamed() {
        Platform platform = probe(Map.of("os.name", "Plan 9"));
        assertFalse(platform.level().emitsMachineCode());
        assertTrue(platform.reason().contains("Plan 9"), platform.reason());
    }

    @Test
    void aProcessorWithoutAvx2RunsTheVectorApiWithoutARemedy() {
        Platform platform = Platform.of(FeatureSet.BASE.with(Feature.AVX), KernelLevel.AVX512);
        assertEquals(KernelLevel.VECTOR_API, platform.level());
        assertTrue(platform.reason().contains("lacks some of AVX2"), platform.reason());
        assertEquals("", platform.remedy());
    }

    @Test
    void theInterpreterIsAStopgapUnlessItIsForced() {
        assertFalse(probe(Map.of(Platform.LEVEL_PROPERTY, "plain")).isStopgap());
        assertFalse(Platform.of(FeatureSet.BASE, KernelLevel.AVX512).isStopgap());
        assertTrue(new Platform(KernelLevel.PLAIN, FeatureSet.BASE, "no Vector API", "add it").isStopgap());
    }

    @Test
    void theProbeLeavesNoCodeBehind() {
        CodeMap map = new CodeMap(null);
        Platform.probe(System::getProperty, map);
        assertEquals("", map.toString());
    }

    @Test
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void theProcessorsFeaturesAreThoseOfTheKernel() throws IOException {
        String flags = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("flags"))
                .findFirst()
                .orElseThrow();
        Set<String> names =
                new HashSet<>(List.of(flags.substring(flags.indexOf(':') + 2).split(" ")));
        Map<Feature, String> known = Map.of(
                Feature.AVX, "avx",
                Feature.AVX2, "avx2",
                Feature.FMA, "fma",
                Feature.F16C, "f16c",
                Feature.BMI2, "bmi2",
                Feature.LZCNT, "abm",
                Feature.AVX512F, "avx512f",
                Feature.AVX512BW, "avx512bw",
                Feature.AVX512_VNNI, "avx512_vnni",
                Feature.AVX512_BF16, "avx512_bf16");
        if (jvmUses("UseCountLeadingZerosInstruction")) {
            // kernels of some virtual machines do not list it where the processor has it
            names.add("abm");
        }
        known.forEach((feature, flag) ->
                assertEquals(names.contains(flag), Machine.platform().features().has(feature), flag));
        System.out.println("platform: " + Machine.platform());
    }

    private static boolean jvmUses(String option) {
        return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption(option)
                .getValue());
    }
}

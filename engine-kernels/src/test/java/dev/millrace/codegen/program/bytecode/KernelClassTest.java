package dev.millrace.codegen.program.bytecode;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.Platform;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.UsedKeys;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelClassTest {
    private static final int SHAPES = 12;

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void noKernelOfADriverHasAMethodThatTheJvmDoesNotCompile(int bits) {
        VectorMachine machine = VectorMachine.of(bits);
        int inPieces = 0;
        try (Kernels kernels = Kernels.open(name -> switch (name) {
            case Platform.LEVEL_PROPERTY -> "vector_api";
            case Kernels.VECTOR_BITS_PROPERTY -> Integer.toString(bits);
            default -> System.getProperty(name);
        })) {
            for (KernelKey key : UsedKeys.of(machine.target(), SHAPES)) {
                KernelClass type = KernelClass.of(Expansion.of(kernels.describe(key)), machine, KernelClass.MOST_STEPS);
                assertTrue(type.longestMethod() <= KernelClass.MOST_BYTES, key.toString());
                inPieces += type.isWhole() ? 0 : 1;
            }
        }
        System.out.println(inPieces + " kernels are in pieces at " + bits + " bits");
    }
}

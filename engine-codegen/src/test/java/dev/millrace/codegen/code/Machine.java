package dev.millrace.codegen.code;

/** The capabilities of the machine on which tests run. */
public final class Machine {
    private static final Platform FOUND = Platform.probe(System::getProperty, new CodeMap(null));

    private Machine() {}

    public static Platform platform() {
        return FOUND;
    }

    public static boolean runsCode() {
        return FOUND.level().emitsMachineCode();
    }

    public static boolean runsAvx512() {
        return FOUND.level() == KernelLevel.AVX512;
    }
}

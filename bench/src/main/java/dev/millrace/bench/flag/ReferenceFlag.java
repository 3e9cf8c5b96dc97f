package dev.millrace.bench.flag;

import dev.millrace.cli.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag of commands that measure beside ONNX Runtime on request. */
public final class ReferenceFlag {
    private static final String ONLY = "onnxruntime";

    @Option(names = "--vs", paramLabel = "PEER", description = "The engine to measure beside: " + ONLY + ".")
    private @Nullable String reference;

    /** Whether ONNX Runtime is asked for. */
    public boolean isSet() {
        if (reference == null) {
            return false;
        }
        require(reference);
        return true;
    }

    /** Refuses any reference but ONNX Runtime. */
    public static void require(String reference) {
        if (!reference.equals(ONLY)) {
            throw new UsageException("there is no peer '" + reference + "'; there is " + ONLY);
        }
    }
}

package dev.millrace.bench.flag;

import dev.millrace.cli.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag of commands that measure beside a peer where that is asked for. */
public final class PeerFlag {
    private static final String ONLY = "onnxruntime";

    @Option(names = "--vs", paramLabel = "PEER", description = "The peer to measure beside: " + ONLY + ".")
    private @Nullable String peer;

    /** Whether a peer is asked for. */
    public boolean isSet() {
        if (peer == null) {
            return false;
        }
        require(peer);
        return true;
    }

    /** Refuses a peer that there is not. */
    public static void require(String peer) {
        if (!peer.equals(ONLY)) {
            throw new UsageException("there is no peer '" + peer + "'; there is " + ONLY);
        }
    }
}

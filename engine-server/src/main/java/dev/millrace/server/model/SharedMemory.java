package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import java.util.Map;

/** The refusal of the protocol's extension for tensors in shared memory. */
public final class SharedMemory {
    /** The reason why regions are neither registered nor described. */
    public static final String REFUSAL = "shared memory is not supported; send tensors as bytes of the request";

    private static final String REGION = "shared_memory_region";

    private SharedMemory() {}

    /**
     * Refuses a tensor that lies in shared memory.
     *
     * @param parameters the parameters of the tensor in the request
     * @param place the name of the tensor in the error message
     */
    public static void refuse(Map<String, ?> parameters, String place) {
        if (parameters.containsKey(REGION)) {
            throw EngineException.notImplemented(place + " lies in shared memory, which this server does not read");
        }
    }
}

package dev.millrace.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EngineExceptionTest {
    @Test
    void whatIsQuotedDoesNotFillAScreen() {
        EngineException refusal = EngineException.invalidArgument("axes [" + "1, ".repeat(100_000) + "1] of input 'x'");
        String message = String.valueOf(refusal.at("ReduceMin 'node'").getMessage());
        assertTrue(message.length() < 5_000, () -> message.length() + " characters");
        assertTrue(message.startsWith("ReduceMin 'node': axes [1, 1, "), message);
        assertTrue(message.endsWith("1] of input 'x'"), message);
    }

    @Test
    void aPlaceIsNamedOnce() {
        EngineException refusal = EngineException.invalidGraph("no shape");
        assertEquals("Add: no shape", refusal.at("Add").at("Add").getMessage());
    }
}

package dev.millrace.server;

/** Requests to the models of {@link ServerModels}, as JSON. */
final class TestRequests {
    private TestRequests() {}

    /** One row with one number, for {@link ServerModels#plus}. */
    static String row(String input, float value) {
        return "{\"inputs\": [{\"name\": \"" + input + "\", \"datatype\": \"FP32\", \"shape\": [1, 1], \"data\": ["
                + value + "]}]}";
    }

    /** So many rounds of {@link ServerModels#loop}, with a time limit. */
    static String loops(long count, long micros) {
        return "{\"parameters\": {\"timeout\": " + micros + "}, \"inputs\": ["
                + "{\"name\": \"n\", \"datatype\": \"INT64\", \"shape\": [], \"data\": [" + count + "]},"
                + "{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"data\": [1]}]}";
    }
}

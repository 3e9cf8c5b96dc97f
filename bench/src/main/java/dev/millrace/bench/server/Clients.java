package dev.millrace.bench.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Clients with the requests that they send. The requests are the same for every service. */
final class Clients {
    private static final int LEAST_TOKENS = 8;
    private static final int MOST_TOKENS = 64;
    private static final int SENTENCES = 16;
    private static final int CHUNKS = 31;
    private static final long SEED = 1;

    private Clients() {}

    /** Returns clients that ask for the vectors of 8 to 64 tokens. */
    static List<ServiceClient> ofSentences(ServiceProcess service, ServedKind kind, int connections)
            throws IOException {
        return ofSentences(service, kind, connections, LEAST_TOKENS, MOST_TOKENS);
    }

    /** Returns clients that ask for the vectors of so many tokens. */
    static List<ServiceClient> ofSentences(
            ServiceProcess service, ServedKind kind, int connections, int least, int most) throws IOException {
        var random = new Random(SEED);
        var all = new ArrayList<ServiceClient>();
        for (int i = 0; i < connections; i++) {
            var own = new ArrayList<byte[]>();
            for (int each = 0; each < SENTENCES; each++) {
                own.add(Requests.sentence(kind, random.nextInt(least, most + 1), random));
            }
            all.add(ServiceClient.rest(service, own));
        }
        return all;
    }

    /** Returns clients that send chunks of speech, a second in a sequence. */
    static List<ServiceClient> ofSpeech(ServiceProcess service, ServedKind kind, int connections) throws IOException {
        var random = new Random(SEED);
        var all = new ArrayList<ServiceClient>();
        for (int i = 0; i < connections; i++) {
            all.add(ServiceClient.rest(service, Requests.speech(kind, i + 1, CHUNKS, random)));
        }
        return all;
    }
}

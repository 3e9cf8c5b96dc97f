package dev.millrace.text;

import dev.millrace.graph.EngineException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.Deflater;

/**
 * When a window of speech is generated anew with draws. Texts that repeat themselves compress well, and texts that the model
 * makes up have a low probability. The last text is kept however it is.
 *
 * @param temperatures the temperatures of the further attempts, in their order
 * @param mostCompression the largest ratio of a text's bytes to those of its zlib form
 * @param leastLogprob the smallest mean of the log probabilities of a window's tokens, before options change their scores
 */
public record SpeechFallback(List<Double> temperatures, double mostCompression, double leastLogprob) {
    private static final SpeechFallback USUAL = new SpeechFallback(List.of(0.2, 0.4, 0.6, 0.8, 1.0), 2.4, -1);
    private static final int BUFFER = 4096;

    public SpeechFallback {
        temperatures = List.copyOf(ApiBoundary.requireArgument(temperatures, "temperatures"));
        if (temperatures.stream().anyMatch(temperature -> !(temperature > 0))) {
            throw EngineException.invalidArgument("temperatures of further attempts are " + temperatures
                    + "; without a draw an attempt says the same again, so they are above 0");
        }
        if (!(mostCompression > 0) || Double.isNaN(leastLogprob)) {
            throw EngineException.invalidArgument("mostCompression is " + mostCompression + " and leastLogprob "
                    + leastLogprob + "; the first is above 0, and both are numbers");
        }
    }

    /** Returns the thresholds that OpenAI's Whisper has: 0.2 to 1.0 in steps of 0.2, 2.4 and -1. */
    public static SpeechFallback usual() {
        return USUAL;
    }

    /** Whether a text is kept without another attempt. */
    boolean accepts(String text, double meanLogprob) {
        return meanLogprob >= leastLogprob && compression(text) <= mostCompression;
    }

    /** Returns the ratio of a text's bytes to those of its zlib form. */
    static double compression(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var deflater = new Deflater();
        try {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] buffer = new byte[BUFFER];
            while (!deflater.finished()) {
                deflater.deflate(buffer);
            }
            return (double) bytes.length / deflater.getBytesWritten();
        } finally {
            deflater.end();
        }
    }
}

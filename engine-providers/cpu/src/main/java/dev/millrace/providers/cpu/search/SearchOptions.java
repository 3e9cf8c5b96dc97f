package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;

/**
 * What attributes and inputs of a BeamSearch say.
 *
 * @param most how many words a sequence may have
 * @param least before so many words it does not end
 * @param beams how many sequences are followed for each of a batch
 * @param kept how many of them are given
 * @param lengthPenalty the power of a sequence's length that its score is divided by
 * @param repetitionPenalty what makes words less likely that are there already
 * @param phrase so many words in a row are not there twice, or 0
 * @param early whether a search ends with the first sequences that do
 */
record SearchOptions(
        int most,
        int least,
        int beams,
        int kept,
        float lengthPenalty,
        float repetitionPenalty,
        float temperature,
        int phrase,
        int end,
        int pad,
        boolean early) {
    private static final int MOST_BEAMS = 128;
    private static final int MOST_WORDS = 4096;

    static SearchOptions of(DynamicContext context) {
        Node node = context.node();
        Attributes attributes = node.attributes();
        var options = new SearchOptions(
                (int) number(context, 1, 0),
                (int) number(context, 2, 0),
                (int) number(context, 3, 0),
                (int) number(context, 4, 0),
                (float) number(context, 5, 1),
                (float) number(context, 6, 1),
                (float) number(context, 14, 1),
                Math.toIntExact(attributes.integer("no_repeat_ngram_size", 0)),
                Math.toIntExact(attributes.integer("eos_token_id")),
                Math.toIntExact(attributes.integer("pad_token_id")),
                attributes.flag("early_stopping", false));
        check(node, "num_beams", options.beams, 1, MOST_BEAMS);
        check(node, "num_return_sequences", options.kept, 1, options.beams);
        check(node, "max_length", options.most, 1, MOST_WORDS);
        if (!(options.repetitionPenalty > 0) || !(options.temperature > 0)) {
            throw EngineException.invalidArgument(
                    node.describe() + ": repetition_penalty and temperature are positive numbers");
        }
        return options;
    }

    private static void check(Node node, String what, int value, int from, int to) {
        if (value < from || value > to) {
            throw EngineException.invalidArgument(
                    node.describe() + ": " + what + " is " + value + " where " + from + " to " + to + " is expected");
        }
    }

    private static double number(DynamicContext context, int input, double otherwise) {
        Datum datum = input < context.inputCount() ? context.input(input) : null;
        if (datum == null) {
            return otherwise;
        }
        if (datum instanceof Tensor tensor && tensor.elements() == 1) {
            return Elements.getDouble(tensor.type(), tensor.segment(), 0);
        }
        throw EngineException.invalidArgument(
                context.node().describe() + ": input " + input + " is one number, but here is " + datum);
    }
}

package dev.millrace.text;

import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.text.json.Json;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The names of inputs and outputs that {@code genai_config.json} gives a decoder, where they are not the usual ones. */
final class GenAiNames {
    /** The caches: their inputs, their outputs. Names have the number of a layer. */
    private static final List<List<String>> CACHES = List.of(
            List.of("past_key_names", "present_key_names"),
            List.of("past_value_names", "present_value_names"),
            List.of("past_names", "present_names"),
            List.of("past_conv_names", "present_conv_names"),
            List.of("past_recurrent_names", "present_recurrent_names"));

    private static final String LAYER = "%d";

    private GenAiNames() {}

    /** Assigns the names of a decoder to the roles of a signature. Names that the model lacks are left out. */
    static void apply(Json decoder, Session session, DecoderSignature.Builder signature) {
        Json inputs = decoder.get("inputs");
        Json outputs = decoder.get("outputs");
        Set<String> known = new LinkedHashSet<>();
        session.inputs().stream().map(ValueInfo::name).forEach(known::add);
        if (known.contains(inputs.get("input_ids").text(""))) {
            signature.ids(inputs.get("input_ids").text());
        }
        if (known.contains(inputs.get("attention_mask").text(""))) {
            signature.mask(inputs.get("attention_mask").text());
        }
        if (known.contains(inputs.get("position_ids").text(""))) {
            signature.positions(inputs.get("position_ids").text());
        }
        if (outputs.get("logits").isText()) {
            signature.logits(outputs.get("logits").text());
        }
        int layers = decoder.get("num_hidden_layers").count(0);
        for (List<String> cache : CACHES) {
            String past = inputs.get(cache.getFirst()).text("");
            String present = outputs.get(cache.getLast()).text("");
            for (int layer = 0; past.contains(LAYER) && present.contains(LAYER) && layer < layers; layer++) {
                String number = String.valueOf(layer);
                String input = past.replace(LAYER, number);
                if (known.contains(input)) {
                    signature.state(State.carry(present.replace(LAYER, number), input));
                }
            }
        }
    }
}

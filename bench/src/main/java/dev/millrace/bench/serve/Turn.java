package dev.millrace.bench.serve;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.compare.Numbers;
import java.util.ArrayList;
import java.util.List;

/** The figures of one side in a round. */
record Turn(int round, ServeSide side, LoadFigures load, LightFigures light) {
    boolean isGood() {
        return load.failures() == 0 && light.failures() == 0;
    }

    static String csv(List<Turn> turns, List<String> models) {
        var text = new StringBuilder(
                "round,side,answers_per_s,failed,fairness,memory_tenth_mib,memory_half_mib,memory_end_mib,heap_tenth_mib,"
                    + "heap_half_mib,heap_end_mib,peak_mib,light_alone_us,light_beside_us,heavy_per_s");
        models.forEach(model -> text.append(',').append(Csv.quoted(model + "_per_s")));
        text.append('\n');
        turns.forEach(turn -> text.append(String.join(",", turn.fields())).append('\n'));
        return text.toString();
    }

    private List<String> fields() {
        var fields = new ArrayList<String>(List.of(
                Integer.toString(round),
                Csv.quoted(side.label()),
                Numbers.format("%.2f", load.total()),
                Long.toString(load.failures() + light.failures()),
                Numbers.format("%.4f", load.fairness()),
                Numbers.format("%.1f", load.resident().tenth().mib()),
                Numbers.format("%.1f", load.resident().half().mib()),
                Numbers.format("%.1f", load.resident().end().mib()),
                Numbers.format("%.1f", load.resident().tenth().heapMib()),
                Numbers.format("%.1f", load.resident().half().heapMib()),
                Numbers.format("%.1f", load.resident().end().heapMib()),
                Numbers.format("%.1f", load.peakMib()),
                Numbers.format("%.1f", light.aloneMicros()),
                Numbers.format("%.1f", light.besideMicros()),
                Numbers.format("%.2f", light.heavyPerSecond())));
        load.perSecond().forEach(rate -> fields.add(Numbers.format("%.2f", rate)));
        return fields;
    }
}

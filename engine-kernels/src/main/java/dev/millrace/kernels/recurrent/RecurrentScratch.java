package dev.millrace.kernels.recurrent;

/** Where the parts of the scratch memory of one direction are, in bytes. */
record RecurrentScratch(long state, long other, long products, long gates, long bytes) {
    static RecurrentScratch of(RecurrentCell cell, RecurrentShape shape) {
        long row = Math.multiplyExact(4L * shape.hidden(), shape.batch());
        long rowOfGates = row * cell.gates();
        long state = PackedWeights.up(GateArguments.BYTES);
        long other = state + PackedWeights.up(row);
        long products = other + PackedWeights.up(row);
        long gates = products + (cell.apart() ? PackedWeights.up(rowOfGates) : 0);
        long bytes = gates + PackedWeights.up(Math.multiplyExact(rowOfGates, shape.steps()));
        return new RecurrentScratch(state, other, products, gates, bytes);
    }
}

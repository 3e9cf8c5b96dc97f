package dev.millrace.session;

import java.util.List;

/** The public description of a model. */
record ModelFace(List<ValueInfo> inputs, List<ValueInfo> outputs, ModelMetadata metadata) {}

/// Typed stages around models: images, sounds and texts in, labels, boxes, segments and texts out.
module dev.millrace.pipelines {
    requires transitive dev.millrace.session;
    requires transitive dev.millrace.text;
    requires static java.desktop;
    requires static transitive org.jspecify;

    exports dev.millrace.pipelines;
    exports dev.millrace.pipelines.audio;
    exports dev.millrace.pipelines.image;
    exports dev.millrace.pipelines.imageio;
    exports dev.millrace.pipelines.text;
}

"""Facts about benchmarks that stand in no figures file, written by hand with their source.

Item counts and class counts are those of DataComp's task list (tasklist.yml in the repository
mlfoundations/datacomp); it calls some data sets otherwise, its spelling is not kept here.
"""

ITEM_SOURCE = "DataComp task list (mlfoundations/datacomp tasklist.yml)"

ITEM_COUNT = {
    "caltech101": 6085,
    "camelyon17": 85054,
    "cars": 8041,
    "cifar10": 10000,
    "cifar100": 10000,
    "clevr_count": 15000,
    "clevr_distance": 15000,
    "country211": 21100,
    "dollar_street": 3503,
    "dtd": 1880,
    "eurosat": 5400,
    "fgvc_aircraft": 3333,
    "flowers102": 6149,
    "fmow": 22108,
    "food101": 25250,
    "geode": 12488,
    "gtsrb": 12630,
    "imagenet1k": 50000,
    "imagenet_sketch": 50889,
    "imageneta": 7500,
    "imageneto": 2000,
    "imagenetr": 30000,
    "imagenetv2": 10000,
    "iwildcam": 42791,
    "kitti_distance": 711,
    "mnist": 10000,
    "mscoco_retrieval": 5000,
    "objectnet": 18574,
    "pcam": 32768,
    "pets": 3669,
    "renderedsst2": 1821,
    "resisc45": 6300,
    "stl10": 8000,
    "sun397": 108754,
    "svhn": 26032,
    "voc2007": 14976,
    "winogavil": 3563,
}

# Class counts of the data sets that UniBench does not list.
CLASS_COUNT = {"camelyon17": 2, "fmow": 62, "geode": 40, "iwildcam": 182, "fer2013": 7}

# Guessing at a relation benchmark means picking one caption out of so many.
CAPTIONS = {
    "coco_order": 5,
    "flickr30k_order": 5,
    "sugarcrepe": 2,
    "vg_attribution": 2,
    "vg_relation": 2,
}

OPENCLIP_ONLY_TASK = {
    "camelyon17": "zero-shot",
    "flickr30k_retrieval": "retrieval",
    "fmow": "zero-shot",
    "geode": "zero-shot",
    "iwildcam": "zero-shot",
    "mscoco_retrieval": "retrieval",
    "winogavil": "choice",
}

NOTE = {
    "countbench": "zero-shot with 10 classes in Table 6, but the authors' code scores captions;"
    " runs on classes stand as countbench-classes",
    "dollar_street": "chance unknown for this metric (top five, worst group); UniBench prints 60"
    " classes, DataComp's task list 58",
    "flickr30k_retrieval": "the 31,014 items of DataComp's task list are the whole set; the test"
    " split is smaller",
    "fmow": "the metric is the accuracy of the worst region: chance and items are not those of the"
    " whole set",
    "geode": "the metric is the accuracy of the worst group: chance and items are not those of the"
    " whole set",
    "imagenet9": "UniBench prints 1,000 classes; the data set groups them into nine, so chance is"
    " left open",
    "iwildcam": "mean F1 over classes: no single number for guessing",
    "mm-vet-v1": "217 questions by section 1 of the MM-Vet v2 paper, 218 by section 2",
    "mscoco_retrieval": "counted in images of the test split",
    "voc2007": "classification of object crops, not the mean average precision of whole images",
    "winogavil": "Jaccard index over 10 to 12 candidates; by DataComp's task list guessing scores"
    " 0.205",
    "winoground": "three scores (text, image, group) with chances 1/4, 1/4 and 1/6; UniBench does"
    " not say which it prints",
}
# Chance is left open although UniBench prints a class count.
CHANCE_UNCLEAR = {"imagenet9"}

NAME = {
    "caltech101": "Caltech-101",
    "camelyon17": "Camelyon17",
    "cars": "Stanford Cars",
    "cifar10": "CIFAR-10",
    "cifar100": "CIFAR-100",
    "clevr_count": "CLEVR count",
    "clevr_distance": "CLEVR distance",
    "coco_order": "COCO order",
    "countbench": "CountBench",
    "country211": "Country211",
    "cub": "CUB-200",
    "dmlab": "DMLab",
    "dollar_street": "Dollar Street",
    "dspr_orientation": "dSprites orientation",
    "dspr_x_position": "dSprites x position",
    "dspr_y_position": "dSprites y position",
    "dtd": "DTD",
    "eurosat": "EuroSAT",
    "fashion_mnist": "Fashion-MNIST",
    "fer2013": "FER-2013",
    "fgvc_aircraft": "FGVC Aircraft",
    "flickr30k_order": "Flickr30k order",
    "flickr30k_retrieval": "Flickr30k retrieval",
    "flowers102": "Flowers-102",
    "fmow": "FMoW",
    "food101": "Food-101",
    "geode": "GeoDE",
    "gtsrb": "GTSRB",
    "imagenet1k": "ImageNet-1k",
    "imagenet9": "ImageNet-9",
    "imagenet_sketch": "ImageNet-Sketch",
    "imageneta": "ImageNet-A",
    "imagenetc": "ImageNet-C",
    "imagenete": "ImageNet-E",
    "imageneto": "ImageNet-O",
    "imagenetr": "ImageNet-R",
    "imagenetv2": "ImageNet-V2",
    "inaturalist": "iNaturalist",
    "iwildcam": "iWildCam",
    "kitti_distance": "KITTI distance",
    "mnist": "MNIST",
    "mscoco_retrieval": "MSCOCO retrieval",
    "objectnet": "ObjectNet",
    "pcam": "PatchCamelyon",
    "pets": "Oxford-IIIT Pets",
    "places365": "Places365",
    "pug_imagenet": "PUG: ImageNet",
    "renderedsst2": "Rendered SST2",
    "resisc45": "RESISC45",
    "retinopathy": "Diabetic Retinopathy",
    "smallnorb_azimuth": "smallNORB azimuth",
    "smallnorb_elevation": "smallNORB elevation",
    "stl10": "STL-10",
    "sugarcrepe": "SugarCrepe",
    "sun397": "SUN397",
    "svhn": "SVHN",
    "vg_attribution": "VG attribution",
    "vg_relation": "VG relation",
    "voc2007": "Pascal VOC 2007",
    "winogavil": "WinoGAViL",
    "winoground": "Winoground",
}

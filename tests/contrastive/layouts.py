"""Data sets of a few pictures in the exact shape in which their makers pack them.

Each builder writes into a folder and gives what a person would point at.
"""

import gzip
import json
import pickle
from pathlib import Path

import numpy as np
from PIL import Image

from evalcore.contrastive.datasets import corrupted, naming
from evalcore.contrastive.datasets.vision import CLASSES as VOC
from tests.contrastive.test_authors import crepe, genome, winoground

TWO = ("n01498041", "n04355933")
"""A stingray and sunglasses."""


def jpeg(path, seed=0, size=(8, 8)):
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    Image.fromarray(rng.integers(0, 256, (*size, 3)).astype(np.uint8)).save(path)
    return path


def text(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def told(path, content):
    return text(path, json.dumps(content))


def mac(folder):
    """What a Mac leaves beside the files of an archive that it packed."""
    (folder / "__MACOSX" / "._x").mkdir(parents=True)
    (folder / "__MACOSX" / "._x" / "._a.jpg").write_bytes(b"\0\5\x16\7")
    for inside in [one for one in folder.rglob("*") if one.is_dir()]:
        (inside / ".DS_Store").write_bytes(b"Bud1")
        (inside / "._left.jpg").write_bytes(b"\0\5\x16\7")
    (folder / "Thumbs.db").write_bytes(b"")
    return folder


def wordnet(folder, numbers=TWO, each=1):
    for label, number in enumerate(numbers):
        for at in range(each):
            jpeg(folder / number / f"{number}_{at}.JPEG", 10 * label + at)
    return folder


def numbered(folder, classes=1000):
    for label in range(classes):
        jpeg(folder / str(label) / "a.jpeg", label)
    return folder


def cub(folder):
    root, lines = folder / "CUB_200_2011", []
    names = ("001.Black_footed_Albatross", "002.Laysan_Albatross")
    for at in range(6):
        lines.append(f"{names[at // 3]}/{names[at // 3][4:]}_{at:04d}.jpg")
        jpeg(root / "images" / lines[-1], at)
    text(root / "images.txt", *(f"{at} {line}" for at, line in enumerate(lines, 1)))
    text(root / "classes.txt", *(f"{at} {name}" for at, name in enumerate(names, 1)))
    text(root / "image_class_labels.txt", *(f"{at + 1} {at // 3 + 1}" for at in range(6)))
    text(root / "train_test_split.txt", *(f"{at + 1} {int(at % 3 == 0)}" for at in range(6)))
    text(root / "bounding_boxes.txt", *(f"{at + 1} 1.0 1.0 4.0 4.0" for at in range(6)))
    text(root / "README", "Caltech-UCSD Birds-200-2011")
    text(root / "parts" / "parts.txt", "1 back")
    text(folder / "attributes.txt", "1 has_bill_shape::curved_(up_or_down)")
    return folder


def objectnet(folder):
    root = folder / "objectnet-1.0"
    labels = {"air_freshener": "Air freshener", "alarm_clock": "Alarm clock", "banana": "Banana"}
    for at, one in enumerate(labels):
        jpeg(root / "images" / one / f"{at}.png", at)
        jpeg(root / "images" / one / f"{at + 10}.png", at + 10)
    told(root / "mappings" / "folder_to_objectnet_label.json", labels)
    shared = {"Banana": "banana", "Alarm clock": "analog clock; digital clock"}
    told(root / "mappings" / "objectnet_to_imagenet_1k.json", shared)
    text(root / "mappings" / "imagenet_to_label_2012_v2", "kit fox, Vulpes macrotis")
    told(root / "mappings" / "pytorch_to_imagenet_2012_id.json", {"0": 616})
    return folder


def clevr(folder):
    root = folder / "CLEVR_v1.0"
    scenes = []
    for at, (number, depth) in enumerate([(3, 7.5), (10, 12.0), (4, 8.0), (5, 8.25)]):
        jpeg(root / "images" / "val" / f"CLEVR_val_{at:06d}.png", at)
        objects = [{"pixel_coords": [1, 2, depth + n], "shape": "cube"} for n in range(number)]
        scenes.append({"image_filename": f"CLEVR_val_{at:06d}.png", "objects": objects})
    told(root / "scenes" / "CLEVR_val_scenes.json", {"info": {}, "scenes": scenes})
    told(root / "scenes" / "CLEVR_train_scenes.json", {"info": {}, "scenes": scenes[:1]})
    jpeg(root / "images" / "train" / "CLEVR_train_000000.png")
    jpeg(root / "images" / "test" / "CLEVR_test_000000.png")
    text(root / "README.txt", "CLEVR v1.0")
    return folder


def dollar_street(folder):
    root = folder / "dataset_dollarstreet"
    head = "id,country.name,type,imageRelPath,topics,income,imagenet_synonyms,imagenet_sysnet_id"
    rows = [
        """5d,India,image,assets/5d/5d.jpg,"['Toothbrushes']",120.5,"['toothbrush']","[1]\"""",
        """5e,Brazil,image,assets/5e/5e.jpg,"['Stoves/hobs']",2200,"['stove']","[827]\"""",
        """5f,Brazil,image,assets/5f/5f.jpg,"['Stoves/hobs']",2200,"['stove']","[827]\"""",
    ]
    for at, name in enumerate(("5d", "5e", "5f")):
        jpeg(root / "assets" / name / f"{name}.jpg", at)
    text(root / "images_v2.csv", head, *rows)
    text(root / "images_v2_imagenet_test.csv", head, *rows[:2])
    return folder


def imagenet_c(folder, each=1):
    groups = {"noise": corrupted.CORRUPTIONS[:3], "digital": corrupted.CORRUPTIONS[3:]}
    for group, names in groups.items():
        for name in names:
            for severity in corrupted.SEVERITIES:
                wordnet(folder / group / name / str(severity), each=each)
    wordnet(folder / "extra" / "saturate" / "1")
    return folder


def imagenet_9(folder):
    for variation in ("original", "mixed_rand", "only_fg"):
        for at, name in enumerate(("00_dog", "01_bird", "02_wheeled vehicle")):
            jpeg(folder / variation / "val" / name / f"{at}.JPEG", at)
    return folder


def imagenet_r(folder):
    root = wordnet(folder / "imagenet-r")
    text(root / "README.txt", "ImageNet-R", "n01498041 stingray", "n04355933 sunglasses")
    return folder


def idx(folder, name="FashionMNIST"):
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (10, 28, 28)).astype(np.uint8)
    labels = np.arange(10, dtype=np.uint8)
    for kind, array, magic in (("images-idx3", pictures, 2051), ("labels-idx1", labels, 2049)):
        raw = np.array([magic, *array.shape], ">i4").tobytes() + array.tobytes()
        path = folder / name / "raw" / f"t10k-{kind}-ubyte.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(raw))
    return folder


def cifar(folder, part, name, key, labels):
    root = folder / part
    root.mkdir(parents=True)
    data = {"data": np.zeros((2, 3072), np.uint8), key: [0, 1]}
    for one in ("test_batch", "test", "train", *(f"data_batch_{at}" for at in range(1, 6))):
        (root / one).write_bytes(pickle.dumps(data))
    (root / name).write_bytes(pickle.dumps({"label_names": labels, "fine_label_names": labels}))
    return folder


def stl10(folder):
    root = folder / "stl10_binary"
    root.mkdir()
    (root / "test_X.bin").write_bytes(np.zeros((2, 3, 96, 96), np.uint8).tobytes())
    (root / "test_y.bin").write_bytes(bytes([1, 3]))
    text(root / "class_names.txt", *("airplane", "bird", "car", "cat", "deer"))
    for name in ("train_X.bin", "train_y.bin", "unlabeled_X.bin"):
        (root / name).write_bytes(b"")
    return folder


def svhn(folder):
    from scipy.io import savemat

    labels = np.array([[10], [3]], np.uint8)
    savemat(folder / "test_32x32.mat", {"X": np.zeros((32, 32, 3, 2), np.uint8), "y": labels})
    return folder


def cars(folder):
    from scipy.io import savemat

    root = folder / "stanford_cars"
    for at in range(2):
        jpeg(root / "cars_test" / f"{at:05d}.jpg", at)
    rows = np.array(
        [("00000.jpg", 1, 1, 2, 2, 1), ("00001.jpg", 1, 1, 2, 2, 2)],
        dtype=[("fname", "O"), ("bbox_x1", int), ("bbox_y1", int), ("bbox_x2", int),
               ("bbox_y2", int), ("class", int)],
    )  # fmt: skip
    savemat(root / "cars_test_annos_withlabels.mat", {"annotations": rows})
    (root / "devkit").mkdir()
    names = np.array(["AM General Hummer SUV 2000", "Acura RL Sedan 2012"], object)
    savemat(root / "devkit" / "cars_meta.mat", {"class_names": names})
    return folder


def dtd(folder):
    root = folder / "dtd" / "dtd"
    for name in ("banded", "blotchy"):
        jpeg(root / "images" / name / f"{name}_0001.jpg")
    text(root / "labels" / "test1.txt", "banded/banded_0001.jpg", "blotchy/blotchy_0001.jpg")
    return folder


def aircraft(folder):
    root = folder / "fgvc-aircraft-2013b" / "data"
    for at in range(2):
        jpeg(root / "images" / f"000000{at}.jpg", at)
    text(root / "variants.txt", "707-320", "A300B4")
    text(root / "images_variant_test.txt", "0000000 707-320", "0000001 A300B4")
    return folder


def flowers(folder):
    from scipy.io import savemat

    root = folder / "flowers-102"
    for at in (1, 2):
        jpeg(root / "jpg" / f"image_{at:05d}.jpg", at)
    savemat(root / "imagelabels.mat", {"labels": np.array([[1, 2]])})
    savemat(root / "setid.mat", {"tstid": np.array([[1, 2]])})
    return folder


def food(folder):
    root = folder / "food-101"
    for name in ("apple_pie", "baby_back_ribs"):
        jpeg(root / "images" / name / "1.jpg")
    told(root / "meta" / "test.json", {n: [f"{n}/1"] for n in ("apple_pie", "baby_back_ribs")})
    text(root / "meta" / "classes.txt", "apple_pie", "baby_back_ribs")
    return folder


def pets(folder):
    root = folder / "oxford-iiit-pet"
    jpeg(root / "images" / "Abyssinian_1.jpg")
    jpeg(root / "images" / "american_bulldog_2.jpg")
    lines = ("Abyssinian_1 1 1 1", "american_bulldog_2 2 2 1")
    text(root / "annotations" / "test.txt", *lines)
    return folder


def places(folder):
    lines = ("/a/airfield 0", "/b/bow_window/indoor 1")
    text(folder / "categories_places365.txt", *lines)
    text(folder / "places365_val.txt", "Places365_val_1.jpg 0", "Places365_val_2.jpg 1")
    for at in (1, 2):
        jpeg(folder / "val_256" / f"Places365_val_{at}.jpg", at)
    return folder


def sst2(folder):
    for name in ("negative", "positive"):
        jpeg(folder / "rendered-sst2" / "test" / name / "1.png")
    return folder


def sun(folder):
    root = folder / "SUN397"
    jpeg(root / "a" / "abbey" / "sun_a.jpg")
    jpeg(root / "a" / "apartment_building" / "outdoor" / "sun_b.jpg", 1)
    text(root / "ClassName.txt", "/a/abbey", "/a/apartment_building/outdoor")
    return folder


def caltech(folder):
    root = folder / "caltech101" / "101_ObjectCategories"
    for name in ("BACKGROUND_Google", "Faces", "accordion"):
        jpeg(root / name / "image_0001.jpg")
    (root.parent / "Annotations").mkdir()
    return folder


def eurosat(folder):
    for name in ("AnnualCrop", "Forest"):
        jpeg(folder / "eurosat" / "2750" / name / f"{name}_1.jpg")
    return folder


def resisc(folder):
    for name in ("airplane", "baseball_diamond"):
        jpeg(folder / "NWPU-RESISC45" / name / f"{name}_001.jpg")
    return folder


def voc(folder):
    root = folder / "VOCdevkit" / "VOC2007"
    jpeg(root / "JPEGImages" / "000001.jpg", size=(20, 20))
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    seen = "".join(f"<object><name>{one}</name>{box}</object>" for one in ("dog", "pottedplant"))
    text(root / "Annotations" / "000001.xml", f"<annotation>{seen}</annotation>")
    text(root / "ImageSets" / "Main" / "test.txt", "000001")
    return folder


def aro(folder):
    genome(folder)
    genome(folder, "visual_genome_attribution.json")
    return folder


def captions(folder, name):
    jpeg(folder / "images" / "1.jpg")
    told(folder / name, [{"image": "images/1.jpg", "caption": ["a red cat sits on a mat"]}])
    return folder


THOUSAND = tuple(naming.imagenet())
TWO_BIRDS = ("Black footed Albatross", "Laysan Albatross")
DIGITS = tuple("0123456789")
READ = {
    "cars": (cars, ("AM General Hummer SUV 2000", "Acura RL Sedan 2012")),
    "cifar10": (
        lambda f: cifar(f, "cifar-10-batches-py", "batches.meta", "labels", ["airplane", "car"]),
        10,
    ),
    "cifar100": (
        lambda f: cifar(f, "cifar-100-python", "meta", "fine_labels", ["apple", "aquarium_fish"]),
        ("apple", "aquarium fish"),
    ),
    "clevr_count": (clevr, tuple(map(str, range(3, 11)))),
    "clevr_distance": (clevr, ("very nearby", "nearby", "near", "", "distant", "very distant")),
    "cub": (cub, TWO_BIRDS),
    "dtd": (dtd, ("banded", "blotchy")),
    "fashion_mnist": (idx, 10),
    "fgvc_aircraft": (aircraft, ("707-320", "A300B4")),
    "flowers102": (flowers, 102),
    "food101": (food, ("apple pie", "baby back ribs")),
    "imagenet1k": (wordnet, ("stingray", "sunglasses")),
    "imagenet_sketch": (lambda f: wordnet(f / "sketch").parent, ("stingray", "sunglasses")),
    "imageneta": (lambda f: wordnet(f / "imagenet-a").parent, ("stingray", "sunglasses")),
    "imageneto": (lambda f: wordnet(f / "imagenet-o").parent, ("stingray", "sunglasses")),
    "imagenetr": (imagenet_r, ("stingray", "sunglasses")),
    "imagenetc": (imagenet_c, ("stingray", "sunglasses")),
    "imagenetv2": (lambda f: numbered(f / "imagenetv2-matched").parent, 1000),
    "mnist": (lambda f: idx(f, "MNIST"), DIGITS),
    "objectnet": (objectnet, ("alarm clock", "banana")),
    "pets": (pets, ("Abyssinian", "American Bulldog")),
    "places365": (places, ("airfield", "bow window/indoor")),
    "renderedsst2": (sst2, ("negative", "positive")),
    "stl10": (stl10, ("airplane", "bird", "car", "cat", "deer")),
    "sun397": (sun, ("abbey", "apartment building/outdoor")),
    "svhn": (svhn, DIGITS),
    "voc2007": (voc, len(VOC)),
    "sugarcrepe": (crepe, None),
    "vg_attribution": (aro, None),
    "vg_relation": (aro, None),
    "winoground": (winoground, None),
}
"""Benchmark → what builds its makers' files; its class names, or how many there are."""
NEEDS = {"pcam": "h5py", "coco_order": "spacy", "flickr30k_order": "spacy"}
"""Benchmarks whose makers' files need a package that is not always there."""
OWN = {
    "caltech101": (caltech, ("Faces", "accordion")),
    "dollar_street": (dollar_street, ("Stoves/hobs", "Toothbrushes")),
    "eurosat": (eurosat, 10),
    "imagenet9": (lambda f: imagenet_9(f) / "original", ("dog", "bird", "wheeled vehicle")),
    "resisc45": (resisc, ("airplane", "baseball diamond")),
}


def species(folder):
    for family, kind in (("Aves", "Anas acuta"), ("Aves", "Anas crecca"), ("Fungi", "Amanita")):
        jpeg(folder / "train_val_images" / family / kind / "a.jpg")
    return folder


def worlds(folder):
    for world in ("Worlds_City", "Worlds_Desert"):
        for kind in ("Airplane", "Bear"):
            jpeg(folder / world / kind / "1.png")
    return folder


def countries(folder):
    for code in ("AD", "AE"):
        jpeg(folder / "country211" / "test" / code / "1.jpg")
    return folder


def signs(folder):
    root = folder / "gtsrb"
    for at in range(2):
        jpeg(root / "GTSRB" / "Final_Test" / "Images" / f"{at:05d}.ppm", at)
    text(root / "GT-final_test.csv", "Filename;ClassId", "00000.ppm;0", "00001.ppm;1")
    return folder


def flat(*names):
    """Files of which none is a picture in a class folder."""

    def build(folder):
        for name in names:
            text(Path(folder) / name, "x")
        return folder

    return build


SHARDS = {
    "countbench": (flat("countbench.json"), "should hold a folder for each class"),
    "country211": (countries, "classes are called 'AD', 'AE'"),
    "gtsrb": (signs, "classes are called '0', '1'"),
    "dmlab": (flat("dmlab-test.tfrecord"), "should hold a folder for each class"),
    "dspr_orientation": (flat("dsprites.npz"), "should hold a folder for each class"),
    "dspr_x_position": (flat("dsprites.npz"), "should hold a folder for each class"),
    "dspr_y_position": (flat("dsprites.npz"), "should hold a folder for each class"),
    "imagenete": (flat("README.md"), "should hold a folder for each class"),
    "inaturalist": (species, "folders of pictures"),
    "kitti_distance": (
        lambda f: jpeg(f / "training" / "image_2" / "000000.png").parents[2],
        "has one class|no picture",
    ),
    "pug_imagenet": (worlds, "folders of pictures"),
    "retinopathy": (
        lambda f: jpeg(f / "sample" / "10_left.jpeg").parents[1],
        "has one class, 'sample'",
    ),
    "smallnorb_azimuth": (flat("smallnorb-test-dat.mat"), "should hold a folder for each class"),
    "smallnorb_elevation": (flat("smallnorb-test-dat.mat"), "should hold a folder for each class"),
}
"""Benchmark → what builds its makers' files, and the words that refuse them."""
